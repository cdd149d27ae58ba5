echo '{"score": 1}'
