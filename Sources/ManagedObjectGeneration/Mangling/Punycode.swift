/// Punycode as Swift's symbols use it: letters for all digits, and no digit that a length could run into.
enum Punycode {
    private static let base = 36
    private static let digits = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ".utf8)

    /// Encodes an identifier; ASCII characters that a symbol cannot hold are encoded too.
    static func encode(_ identifier: String) -> [UInt8] {
        let scalars = identifier.unicodeScalars.map { scalar in
            // The compiler moves them into the range of surrogates, which no identifier can hold.
            scalar.isASCII && !SymbolBuffer.isSymbolCharacter(UInt8(scalar.value))
                ? Int(scalar.value) + 0xD800 : Int(scalar.value)
        }
        var output = scalars.filter { $0 < 0x80 }.map(UInt8.init)
        let basicCount = output.count
        var handled = basicCount
        if basicCount > 0 { output.append(UInt8(ascii: "_")) }
        var next = 0x80
        var delta = 0
        var bias = 72
        while handled < scalars.count {
            guard let smallest = scalars.filter({ $0 >= next }).min() else { break }
            delta += (smallest - next) * (handled + 1)
            next = smallest
            for scalar in scalars {
                if scalar < next { delta += 1 }
                if scalar == next {
                    appendNumber(delta, bias: bias, to: &output)
                    bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
                    delta = 0
                    handled += 1
                }
            }
            delta += 1
            next += 1
        }
        return output
    }

    private static func appendNumber(_ number: Int, bias: Int, to output: inout [UInt8]) {
        var rest = number
        var step = base
        while true {
            let threshold = min(max(step - bias, 1), 26)
            if rest < threshold { break }
            output.append(digits[threshold + (rest - threshold) % (base - threshold)])
            rest = (rest - threshold) / (base - threshold)
            step += base
        }
        output.append(digits[rest])
    }

    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var rest = isFirst ? delta / 700 : delta / 2
        rest += rest / count
        var steps = 0
        while rest > (base - 1) * 26 / 2 {
            rest /= base - 1
            steps += base
        }
        return steps + base * rest / (rest + 38)
    }
}
