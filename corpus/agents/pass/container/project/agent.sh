# Prints what Claude Code would print, after it has noted its variables.
cat > prompt.txt
env | sed 's/=.*//' | sort > variables.txt
case $(cat prompt.txt) in *wait*) sleep 1000 ;; esac
echo "$PATH" > path.txt
echo '{"type":"assistant","message":{"id":"1","content":[{"type":"text","text":"done"}]}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","usage":{"input_tokens":1,"output_tokens":1}}'
