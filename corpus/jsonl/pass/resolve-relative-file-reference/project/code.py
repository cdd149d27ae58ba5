print("the wrong one")
