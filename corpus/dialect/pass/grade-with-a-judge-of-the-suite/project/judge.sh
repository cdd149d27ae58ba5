#!/bin/sh
echo '{"score": 0.9, "reasoning": "polite"}'
