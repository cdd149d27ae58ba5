print("the right one")
