extension OneTimeCode {
    /// What the store has of an app: its key, the last step of which a code was used, and how many codes were wrong one after
    /// the other since one was right.
    struct Kept {
        var key: [UInt8]
        var step: Int64
        var failures: Int64 = 0

        /// - Parameters:
        ///   - key: the app's.
        ///   - step: the last one of which a code was used.
        init(key: [UInt8], step: Int64) {
            self.key = key
            self.step = step
        }

        /// Reads what ``bytes`` wrote; nil for anything else.
        init?(_ bytes: [UInt8]) {
            let count = bytes.count - OneTimeCode.secretBytes
            guard count == 8 || count == 16 else { return nil }
            var rest = TokenBytes(Array(bytes.dropFirst(OneTimeCode.secretBytes)))
            guard let step = rest.readInt() else { return nil }
            self.init(key: Array(bytes.prefix(OneTimeCode.secretBytes)), step: step)
            if count == 16 {
                guard let failures = rest.readInt() else { return nil }
                self.failures = failures
            }
        }

        /// Without the count where it is 0, as releases before it wrote it.
        var bytes: [UInt8] {
            var rest = TokenBytes()
            rest.write(step)
            if failures > 0 { rest.write(failures) }
            return key + rest.bytes
        }

        /// Whether a code is good, which it is no longer then; one that is not is counted.
        mutating func use(_ code: String, now: Int64) -> Bool {
            guard let found = OneTimeCode.step(of: code, secret: key, now: now), found > step else {
                failures += 1
                return false
            }
            step = found
            failures = 0
            return true
        }
    }
}
