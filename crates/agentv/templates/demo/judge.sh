#!/bin/sh
# Plays a model that judges the tone of an answer: it looks for kind words in the prompt of the judge.
if grep -qE 'Of course|I am sorry|No problem|gladly|please' "$1"; then
  echo '{"score": 0.9, "hits": ["kind"], "misses": [], "reasoning": "Kind, and of help."}'
else
  echo '{"score": 0.3, "hits": [], "misses": ["not kind"], "reasoning": "Curt. The customer feels left alone."}'
fi
