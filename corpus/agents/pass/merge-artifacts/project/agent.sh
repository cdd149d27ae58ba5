# Prints what Claude Code would print.
prompt=$(cat)
echo '{"type":"assistant","message":{"id":"1","content":[{"type":"text","text":"'"$prompt"'"}]}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$prompt"'","usage":{"input_tokens":1,"output_tokens":1}}'
