"""What is made when the package is built: completions for shells and the page of the manual."""

import re
import sys
from pathlib import Path
from typing import Any

import shtab
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FUNCTIONS = {
    "bash": """
_notesd_names() {
  "${COMP_WORDS[0]/#\\~\\//$HOME/}" names "$1" bash -- "${COMP_LINE:0:COMP_POINT}" \\
    "${COMP_WORDS[COMP_CWORD]}" 2>/dev/null
}
_notesd_note() { _notesd_names note; }
_notesd_tag() { _notesd_names tag; }
_notesd_space() { _notesd_names space; }

# For bash the sign of equality in --tag=garden is a word of its own; here it is none.
_notesd_line() {
  local -a words=()
  local at=$COMP_CWORD index
  for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
    if ((index == 0)) || [[ ${COMP_WORDS[index]} != "=" || ${COMP_WORDS[index - 1]} != --* ]]; then
      words+=("${COMP_WORDS[index]}")
    elif ((index == COMP_CWORD)); then
      words+=("")
    elif ((index < COMP_CWORD)); then
      at=$((at - 1))
    fi
  done
  local -a COMP_WORDS=("${words[@]}")
  local COMP_CWORD=$at
  _shtab_notesd "$@"
}
""",
    "zsh": """
_notesd_names() {
  local -a names
  names=(${(f)"$(command notesd names $1 zsh -- "$LBUFFER" 2>/dev/null)"})
  (( $#names )) && compadd -a names
}
_notesd_note() { _notesd_names note }
_notesd_tag() { _notesd_names tag }
_notesd_space() { _notesd_names space }
""",
    "fish": """
function _notesd_names
  command notesd names $argv[1] fish -- (commandline -cp) 2>/dev/null
end
""",
}
"""How each shell asks for names: by the hidden verb, with the line up to the cursor."""
_ONCE = re.compile(r'^(\s*)"\(\*\)::?', re.MULTILINE)
"""How shtab describes words that may be several to zsh, which completes the first of them alone by it."""
_VALUE = re.compile(r'^(\s*"\*?--[\w-]+)(\[.*\]:)', re.MULTILINE)
"""How it describes options with a value, which may stand behind ``=``, too."""
_PLACES = {
    "notesd.bash": "share/bash-completion/completions/notesd",
    "_notesd": "share/zsh/site-functions/_notesd",
    "notesd.fish": "share/fish/vendor_completions.d/notesd.fish",
    "notesd.1": "share/man/man1/notesd.1",
}
"""Where shells and ``man`` look, below the place that the package is installed to."""


class Shells(BuildHookInterface[Any]):
    """Makes the files before hatchling collects what the wheel is made of."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's call
        """Write the files into the package, and name them as data that goes where shells look."""
        source = Path(self.root, "src")
        sys.path.insert(0, str(source))
        from notesd.cli import manual, shell_options  # noqa: PLC0415 - it is found only now

        made = source / "notesd" / "cli" / "made"
        made.mkdir(exist_ok=True)
        top = manual.whole()
        _mark(top)
        for shell, name in shell_options.SHELLS.items():
            text = shtab.complete(top, shell, preamble={shell: _FUNCTIONS[shell]})
            if shell == "bash":
                text = text.replace("-F _shtab_notesd ", "-F _notesd_line ")
            if shell == "zsh":
                text = _VALUE.sub(r"\1=\2", _ONCE.sub(r'\1"*:', text))
            (made / name).write_text(text, encoding="utf-8")
        (made / "notesd.1").write_text(manual.page(top), encoding="utf-8")
        build_data["artifacts"].append("/src/notesd/cli/made/*")
        build_data["shared_data"] |= {str(made / name): place for name, place in _PLACES.items()}


def _mark(parser: Any) -> None:  # noqa: ANN401 - argparse's parsers have no public way to their actions
    """Say in shtab's words what each word of the command line is completed with."""
    for action in parser._actions:  # noqa: SLF001 - as above
        if kind := getattr(action, "complete", None):
            named = {"bash": f"_notesd_{kind}", "zsh": f"_notesd_{kind}", "fish": f"(_notesd_names {kind})"}
            action.complete = {"file": shtab.FILE, "directory": shtab.DIRECTORY}.get(kind, named)
        for below in (action.choices or {}).values() if isinstance(action.choices, dict) else ():
            _mark(below)
