import re, sys, json
text = open(sys.argv[1]).read()
part = lambda name: re.search(r"<%s-(\d+)>\n(.*?)\n</%s-\1>" % (name, name), text, re.S).group(2)
a, b = part("first"), part("second")
open("asked", "a").write(a + " | " + b + "\n")
print(json.dumps({"reasoning": "longer", "better": "first" if len(a) > len(b) else "second" if len(b) > len(a) else "neither"}))
