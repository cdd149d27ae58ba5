echo "judge in $(basename "$PWD"): $(ls | tr '\n' ' ')" >> "$AGENTV_EVAL_DIR/log"
input=$(cat)
case $input in *'"workspace":"'"$PWD"'"'*) score=1 ;; *) score=0 ;; esac
echo "{\"score\": $score}"
