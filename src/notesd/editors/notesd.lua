-- notesd for Neovim (0.7 or later): search the notes while you type, related notes beside the open one.
--
--   :lua dofile("FILE").setup()      FILE: what `notesd editor neovim` prints
--
-- :Notesd WORDS       hits in the quickfix list, each at its line
-- :NotesdLive         a window: the first line is the query, hits follow it while you type; <CR> opens one
-- :NotesdRelated      notes that belong with the open one, in the location list
--
-- Talks to the daemon over its socket; without one, `notesd status` starts it.

local M = { program = "notesd", limit = 50, state = nil }
local uv = vim.loop
local line -- the connection: pipe, what is waited for by id, the beginning of the next answer, folders by space

local function state_folder()
  if M.state or vim.env.NOTESD_STATE_DIR then return M.state or vim.env.NOTESD_STATE_DIR end
  if vim.fn.has("mac") == 1 and not vim.env.XDG_STATE_HOME then
    return vim.env.HOME .. "/Library/Application Support/notesd"
  end
  return (vim.env.XDG_STATE_HOME or (vim.env.HOME .. "/.local/state")) .. "/notesd"
end

-- The second line of the lock is the socket, whatever the configuration says.
local function socket()
  local lock = io.open(state_folder() .. "/daemon.lock", "r")
  if not lock then return nil end
  lock:read("*l")
  local path = lock:read("*l")
  lock:close()
  return path ~= "" and path or nil
end

local function say(text)
  vim.notify("notesd: " .. text, vim.log.levels.WARN)
end

local function hang_up(reason)
  local old = line
  line = nil
  if not old then return end
  if not old.pipe:is_closing() then old.pipe:close() end
  for _, done in pairs(old.waiting) do done(nil, reason) end
end

local function take(answer)
  local done = answer.id and line and line.waiting[answer.id]
  if not done then return end
  line.waiting[answer.id] = nil
  done(answer.result, answer.error and answer.error.message)
end

local function hear(mine, failed, chunk)
  if line ~= mine then return end
  if failed or not chunk then return hang_up("the daemon has hung up") end
  mine.rest = mine.rest .. chunk
  while line == mine do
    local at = mine.rest:find("\n", 1, true)
    if not at then return end
    local text = mine.rest:sub(1, at - 1)
    mine.rest = mine.rest:sub(at + 1)
    local good, answer = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
    if good then take(answer) end
  end
end

-- Connects, starting a daemon if that fails the first time; `done` gets nil or why it did not work.
local function connect(done, started)
  local path, pipe = socket(), uv.new_pipe(false)
  local function failed(reason)
    if not pipe:is_closing() then pipe:close() end
    if started then return done(reason) end
    vim.fn.jobstart({ M.program, "status" }, {
      on_exit = function(_, status)
        if status ~= 0 then return done("`" .. M.program .. " status` failed") end
        connect(done, true)
      end,
    })
  end
  if not path then return failed("no daemon runs") end
  pipe:connect(path, vim.schedule_wrap(function(reason)
    if reason then return failed(reason) end
    local mine = { pipe = pipe, waiting = {}, rest = "", last = 0 }
    line = mine
    pipe:read_start(vim.schedule_wrap(function(why, chunk) hear(mine, why, chunk) end))
    done(nil)
  end))
end

--- Ask the daemon; `done` gets the result, or nil and a sentence.
function M.ask(method, params, done)
  if not line then
    return connect(function(reason)
      if reason then return done(nil, reason) end
      M.ask(method, params, done)
    end)
  end
  line.last = line.last + 1
  line.waiting[line.last] = done
  local request = { jsonrpc = "2.0", id = line.last, method = method, params = params }
  line.pipe:write(vim.json.encode(request) .. "\n")
end

-- Folders of the spaces, by name; asked anew for a space that nobody knows.
local function folders(hits, done)
  local known = line and line.folders
  local missing = not known
  for _, hit in ipairs(hits) do missing = missing or not known[hit.space] end
  if not missing then return done(known) end
  M.ask("status", vim.empty_dict(), function(status, reason)
    if not status then return say(reason) end
    local found = {}
    for _, space in ipairs(status.spaces) do found[space.name] = space.path end
    if line then line.folders = found end
    done(found)
  end)
end

local function plain(text)
  return (text or ""):gsub("</?mark>", ""):gsub("%s+", " ")
end

local function entries(hits, by_space)
  local list = {}
  for _, hit in ipairs(hits) do
    table.insert(list, {
      filename = (by_space[hit.space] or "") .. "/" .. hit.path,
      lnum = math.max(hit.line or 1, 1),
      text = hit.name .. ": " .. plain(hit.snippet),
    })
  end
  return list
end

--- Search; `done` gets entries as of a quickfix list, best first.
function M.search(query, options, done)
  local params = vim.tbl_extend("keep", options or {}, { query = query, limit = M.limit })
  M.ask("search", params, function(result, reason)
    if not result then return say(reason) end
    folders(result.results, function(by_space) done(entries(result.results, by_space)) end)
  end)
end

function M.quickfix(query)
  M.search(query, {}, function(list)
    vim.fn.setqflist({}, " ", { title = "notesd: " .. query, items = list })
    if #list == 0 then return say("nothing found") end
    vim.cmd("copen")
  end)
end

function M.related()
  local note = vim.api.nvim_buf_get_name(0)
  local window = vim.api.nvim_get_current_win()
  M.ask("related", { note = note, limit = M.limit }, function(result, reason)
    if not result then return say(reason) end
    folders(result.results, function(by_space)
      local list = entries(result.results, by_space)
      vim.fn.setloclist(window, {}, " ", { title = "notesd: related", items = list })
      if #list == 0 then return say("nothing is related to this note") end
      vim.api.nvim_win_call(window, function() vim.cmd("lopen") end)
    end)
  end)
end

local function show_hits(buffer, list)
  local rows = {}
  for _, one in ipairs(list) do table.insert(rows, "  " .. one.text) end
  vim.api.nvim_buf_set_lines(buffer, 1, -1, false, rows)
end

--- A window in which hits follow what is typed; returns its buffer.
function M.live()
  vim.cmd("botright new")
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = "nofile", "wipe", false
  local hits, asked, shown = {}, 0, nil

  local function look()
    local query = vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] or ""
    if query == shown then return end
    shown, asked = query, asked + 1
    local mine = asked
    if query == "" then
      hits = {}
      return show_hits(buffer, hits)
    end
    M.search(query, { record = false }, function(list)
      if mine ~= asked or not vim.api.nvim_buf_is_valid(buffer) then return end -- an older question
      hits = list
      show_hits(buffer, hits)
    end)
  end

  local function open()
    local one = hits[math.max(vim.api.nvim_win_get_cursor(window)[1] - 1, 1)]
    if not one then return end
    vim.cmd("stopinsert")
    vim.api.nvim_win_close(window, true)
    vim.cmd("edit +" .. one.lnum .. " " .. vim.fn.fnameescape(one.filename))
    M.ask("open", { notes = { one.filename }, max_chars = 1 }, function() end) -- so that use is learnt
  end

  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, { buffer = buffer, callback = look })
  vim.keymap.set({ "n", "i" }, "<CR>", open, { buffer = buffer })
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buffer })
  vim.cmd("startinsert")
  return buffer
end

--- Define the commands. Options: `program`, `limit`, `state` (the state folder).
function M.setup(options)
  for name, value in pairs(options or {}) do M[name] = value end
  vim.api.nvim_create_user_command("Notesd", function(words) M.quickfix(words.args) end, { nargs = "+" })
  vim.api.nvim_create_user_command("NotesdLive", function() M.live() end, {})
  vim.api.nvim_create_user_command("NotesdRelated", function() M.related() end, {})
  return M
end

return M
