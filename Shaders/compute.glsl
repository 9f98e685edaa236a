// compute
