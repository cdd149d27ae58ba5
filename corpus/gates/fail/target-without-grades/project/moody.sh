test ! -e broken && echo yes
