// fragment
