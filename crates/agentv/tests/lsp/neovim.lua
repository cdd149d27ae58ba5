-- Drives the language server from a headless Neovim: opens a document, edits it, and writes what it shows.
local root, binary, out = vim.env.LSP_ROOT, vim.env.LSP_BINARY, vim.env.LSP_OUT
local seconds = 120 * 1000
local result = {}

local function shown()
  local found = {}
  for _, item in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, { line = item.lnum, column = item.col, code = item.code, message = item.message })
  end
  return found
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, seconds) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

vim.cmd('edit ' .. root .. '/cases.yaml')
local client = vim.lsp.start_client({ name = 'agentv', cmd = { binary, 'lsp' }, root_dir = root })
vim.lsp.buf_attach_client(0, client)
assert(vim.wait(seconds, function() return #vim.diagnostic.get(0) > 0 end, 20), 'no diagnostics')
result.opened = shown()

-- The mistake is fixed in the buffer, which is not saved.
vim.api.nvim_win_set_cursor(0, { 6, 16 })
local fixes = ask('textDocument/codeAction', vim.tbl_extend('force', vim.lsp.util.make_range_params(), {
  context = { diagnostics = {} },
}))
result.fixes = vim.tbl_map(function(fix) return fix.title end, fixes)
vim.lsp.util.apply_workspace_edit(fixes[1].edit, 'utf-16')
assert(vim.wait(seconds, function() return #vim.diagnostic.get(0) == 0 end, 20), 'still diagnostics')
result.line = vim.api.nvim_buf_get_lines(0, 5, 6, false)[1]

local position = vim.lsp.util.make_position_params()
result.hover = ask('textDocument/hover', position).contents.value
result.completion = #ask('textDocument/completion', position)
result.symbols = #ask('textDocument/documentSymbol', { textDocument = position.textDocument })
result.lenses = #ask('textDocument/codeLens', { textDocument = position.textDocument })

local file = io.open(out, 'w')
file:write(vim.fn.json_encode(result))
file:close()
vim.lsp.stop_client(client)
vim.cmd('qall!')
