cat > /dev/null
echo '{"type":"assistant","message":{"id":"1","content":[{"type":"text","text":"done"}]}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'
