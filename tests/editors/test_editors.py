"""The files for editors, in the real editors, with a real daemon."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import DEADLINE_S, Running, running

import notesd

pytestmark = pytest.mark.process

FILES = Path(notesd.__file__).parent / "editors"

needs_neovim = pytest.mark.skipif(shutil.which("nvim") is None, reason="there is no Neovim here (nvim)")
needs_emacs = pytest.mark.skipif(shutil.which("emacs") is None, reason="there is no Emacs here (emacs)")


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Running]:
    notes = tmp_path / "my notes"
    (notes / "sub").mkdir(parents=True)
    (notes / "Kiln #1 é.md").write_text("# Kiln\n\nNothing here.\n\nA kiln for clay, see [[Clay]].\n")
    (notes / "sub" / "Clay.md").write_text("---\ntags: [pots]\n---\n\nClay is dug.\n")
    config = tmp_path / "config.toml"
    config.write_text(f'[spaces.notes]\npath = "{notes}"\n')
    with running(notes, NOTESD_CONFIG=str(config)) as daemon:
        daemon.paths("settle")
        yield daemon


def run(daemon: Running, *words: str) -> None:
    """Run an editor whose shell finds this ``notesd``, and nothing of the person that runs the tests."""
    programs = daemon.home / "bin"
    programs.mkdir(exist_ok=True)
    where = f"--state-dir {daemon.state} --socket {daemon.socket}"
    (programs / "notesd").write_text(f'#!/bin/sh\nexec {sys.executable} -m notesd "$@" {where}\n')
    (programs / "notesd").chmod(0o755)
    environment = daemon.environment() | {
        "PATH": f"{programs}:{os.environ['PATH']}", "NOTESD_STATE_DIR": str(daemon.state), "TERM": "dumb",
    }  # fmt: skip
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=DEADLINE_S
    )
    assert done.returncode == 0, done.stdout + done.stderr


def neovim(daemon: Running, script: str) -> Any:
    """What a script in Lua leaves in ``answer``."""
    file, answer = daemon.home / "script.lua", daemon.home / "answer"
    file.write_text(
        f'local notesd = dofile("{FILES / "notesd.lua"}").setup()\nlocal answer\n'
        "local function await(done) assert(vim.wait(60000, done, 20), 'nothing came') end\n"
        f"{script}\n"
        f'local out = io.open("{answer}", "w")\nout:write(vim.json.encode(answer))\nout:close()\n'
    )
    attempt = (
        f"lua local good, why = pcall(dofile, '{file}'); if not good then print(why); vim.cmd('cquit') end"
    )
    run(daemon, "nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", attempt, "-c", "qa!")
    return json.loads(answer.read_text())


def emacs(daemon: Running, script: str) -> Any:
    """What the last form of a script in Lisp returns."""
    file, answer = daemon.home / "script.el", daemon.home / "answer"
    file.write_text(
        f'(load "{FILES / "notesd.el"}" nil t)\n'
        f'(let ((answer (progn {script}))) (with-temp-file "{answer}" (insert (json-encode answer))))\n'
    )
    run(daemon, "emacs", "--batch", "-Q", "-l", str(file))
    return json.loads(answer.read_text())


@needs_neovim
def test_neovim_lists_hits_with_their_lines(daemon: Running) -> None:
    """In the quickfix list, as files that exist."""
    found = neovim(
        daemon,
        "vim.cmd('Notesd kiln')\n"
        "await(function() return #vim.fn.getqflist() > 0 end)\n"
        "answer = vim.tbl_map(function(one) return { vim.fn.bufname(one.bufnr), one.lnum, one.text } end,"
        " vim.fn.getqflist())",
    )
    assert found == [[f"{daemon.vault}/Kiln #1 é.md", 5, "Kiln: A kiln for clay, see Clay."]]


@needs_neovim
def test_neovim_searches_while_one_types(daemon: Running) -> None:
    """Hits follow the first line; the key for a new line opens one, and that is an opening."""
    found = neovim(
        daemon,
        "local buffer = notesd.live()\n"
        "local function type(text)\n"
        "  vim.api.nvim_buf_set_lines(buffer, 0, 1, false, { text })\n"
        "  vim.api.nvim_exec_autocmds('TextChangedI', { buffer = buffer })\n"
        "end\n"
        "local function lines() return vim.api.nvim_buf_get_lines(buffer, 0, -1, false) end\n"
        "type('cla'); type('clay')\n"
        "await(function() return #lines() == 3 end)\n"
        "local first = lines()\n"
        "type('dug')\n"
        "await(function() return #lines() == 2 end)\n"
        "vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('<Esc><CR>', true, false, true), 'xt', false)\n"
        "await(function() return vim.fn.expand('%:t') == 'Clay.md' end)\n"
        "answer = { first, vim.fn.line('.') }\n"
        "await(function() local u; notesd.ask('status', vim.empty_dict(), function(s) u = s.usage end)\n"
        "  vim.wait(2000, function() return u end, 20); return u and u.opened == 1 end)",
    )
    assert found[0][0] == "clay"
    assert len(found[0]) == 3
    assert found[1] == 5


@needs_neovim
def test_neovim_shows_what_belongs_with_the_open_note(daemon: Running) -> None:
    """In the location list; a daemon that has ended meanwhile is started again."""
    daemon.stop()
    found = neovim(
        daemon,
        f"vim.cmd('edit ' .. vim.fn.fnameescape('{daemon.vault}/sub/Clay.md'))\n"
        "vim.cmd('NotesdRelated')\n"
        "await(function() return #vim.fn.getloclist(0) > 0 end)\n"
        "answer = vim.fn.fnamemodify(vim.fn.bufname(vim.fn.getloclist(0)[1].bufnr), ':t')\n",
    )
    assert found == "Kiln #1 é.md"
    assert daemon.run("stop").returncode == 0


SHOWN = """
(defvar shown nil)
(defun show (fetch &rest _)
  (setq shown (cl-map 'vector (lambda (one)
    (let ((place (xref-item-location one)))
      (vector (xref-location-group place) (xref-location-line place)
            (xref-item-summary one)))) (funcall fetch))))
(setq xref-show-xrefs-function #'show)
"""


@needs_emacs
def test_emacs_lists_hits_with_their_lines(daemon: Running) -> None:
    """As an xref list, of files that exist."""
    found = emacs(daemon, f'{SHOWN} (notesd-search "kiln") shown')
    assert found == [[f"{daemon.vault}/Kiln #1 é.md", 5, "Kiln: A kiln for clay, see Clay."]]


@needs_emacs
def test_emacs_shows_what_belongs_with_the_open_note(daemon: Running) -> None:
    """A daemon that has ended meanwhile is started again."""
    daemon.stop()
    found = emacs(daemon, f'{SHOWN} (find-file "{daemon.vault}/sub/Clay.md") (notesd-related) shown')
    assert [Path(one[0]).name for one in found] == ["Kiln #1 é.md"]
    assert daemon.run("stop").returncode == 0


@needs_emacs
def test_emacs_searches_while_one_types(daemon: Running) -> None:
    """What stands in the minibuffer is asked at each change; the first hit is opened at its line."""
    found = emacs(
        daemon,
        """
        (setq first nil)
        (cl-letf (((symbol-function 'read-from-minibuffer)
                   (lambda (&rest _)
                     (dolist (text '("k" "ki" "kiln"))
                       (cl-letf (((symbol-function 'minibuffer-contents-no-properties) (lambda () text)))
                         (notesd--live-look) (notesd--live-look)))
                     (while (null notesd--live-hits) (accept-process-output notesd--process 0.1))
                     (with-current-buffer "*notesd*" (setq first (buffer-string))))))
          (notesd-live))
        (vector first (buffer-name) (line-number-at-pos)
              (let ((usage (alist-get 'usage (notesd-call "status"))))
                (while (not (equal (alist-get 'opened usage) 1))
                  (setq usage (alist-get 'usage (notesd-call "status"))))
                (alist-get 'searches usage)))
        """,
    )
    assert found == ["Kiln: A kiln for clay, see Clay.\n", "Kiln #1 é.md", 5, 0]


@needs_emacs
def test_emacs_has_nothing_to_complain_of(daemon: Running) -> None:
    """The compiler warns of nothing."""
    copy = daemon.home / "notesd.el"
    copy.write_text((FILES / "notesd.el").read_text())
    run(
        daemon, "emacs", "--batch", "-Q", "--eval", "(setq byte-compile-error-on-warn t)", "-f",
        "batch-byte-compile", str(copy),
    )  # fmt: skip
