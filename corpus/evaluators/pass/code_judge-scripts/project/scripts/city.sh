echo "looking for the city"
if grep -q Paris; then
  echo '{"score": 1, "hits": "names the city"}'
else
  echo '{"score": 0, "misses": ["names no city"]}'
fi
