internal import Glibc

/// Returns e to the power of a network's number.
func exponential(_ value: Float) -> Double { exp(Double(value)) }
