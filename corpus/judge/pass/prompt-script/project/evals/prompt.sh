input=$(cat)
case $input in
*'"candidate_answer":"The capital of France is Paris."'*'"delimited":'*'"style":"strict"'*) score=1 ;;
*) score=0 ;;
esac
echo "{\"score\": $score, \"hits\": [], \"misses\": [], \"reasoning\": \"as the script says\"}"
