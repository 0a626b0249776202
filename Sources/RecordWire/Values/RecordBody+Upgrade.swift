/// Bodies as version 0.1 stored them.
extension RecordBody {
    /// A body in today's form: stamps name a device, and encrypted bytes have their own tag.
    ///
    /// - Returns: nil where nothing has to change.
    public static func upgraded(_ body: [UInt8]) -> [UInt8]? {
        // Quotes in text are escaped, so neither pattern can be in a value.
        let author = Array("\"userRecordName\":\"".utf8)
        let encrypted = Array("\"type\":\"BYTES\",\"isEncrypted\":true".utf8)
        let device = Array(",\"deviceID\":\"\(RecordStamp.webDeviceID)\"".utf8)
        let tag = Array("\"type\":\"\(WireField.encryptedBytesTag)\"".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(body.count + 2 * device.count)
        var position = 0
        while position < body.count {
            let rest = body[position...]
            if rest.starts(with: author), let end = rest.dropFirst(author.count).firstIndex(of: quote) {
                result += body[position...end]
                position = end + 1
                if position < body.count, body[position] == UInt8(ascii: "}") { result += device }
            } else if rest.starts(with: encrypted) {
                result += tag
                position += encrypted.count
            } else {
                result.append(body[position])
                position += 1
            }
        }
        return result == body ? nil : result
    }

    private static let quote = UInt8(ascii: "\"")
}
