import RecordEngine
import RecordModel

/// The names and values of a form or of an address's query, in their order.
struct FormValues: Sendable {
    private(set) var items: [(name: String, value: String)] = []

    /// The most values that are read.
    private static let most = 10_000

    init() {}

    init(items: [(name: String, value: String)]) { self.items = items }

    /// Reads `a=1&b=2` (application/x-www-form-urlencoded).
    init(_ text: some Collection<UInt8>) throws(ServiceError) {
        for item in text.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]),
                let value = Self.decoded(parts.dropFirst().first ?? item[item.endIndex...])
            else { throw ServiceError(.badRequest, "The form is not UTF-8.") }
            try append(name, value)
        }
    }

    init(body: [UInt8]) throws(ServiceError) { try self.init(body) }

    /// Adds a value after the others.
    ///
    /// - Throws: `BAD_REQUEST` where there are too many.
    mutating func append(_ name: String, _ value: String) throws(ServiceError) {
        guard items.count < Self.most else {
            throw ServiceError(.badRequest, "The form has more than \(Self.most) values.")
        }
        items.append((name, value))
    }

    /// The first value of a name, nil where there is none or it is empty.
    subscript(name: String) -> String? {
        items.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    /// The first value of a name, also an empty one.
    func text(_ name: String) -> String? { items.first { $0.name == name }?.value }

    /// All values of a name.
    func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// The values as a query of an address, some of them changed; nil removes.
    func query(changing changes: [String: String?] = [:]) -> String {
        var items = items.filter { changes[$0.name] == nil && !$0.value.isEmpty }
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            if let value { items.append((name, value)) }
        }
        return items.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }.joined(separator: "&")
    }

    /// A text as it may appear in an address.
    static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    /// A path whose segments may hold anything, as an address has it.
    static func encodedPath(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { encoded(String($0)) }
            .joined(separator: "/")
    }

    /// Undoes a form's encoding, which is not that of addresses (`RequestTarget.decoded`): `+` is a space, and a `%` that
    /// encodes nothing stands for itself.
    private static func decoded(_ text: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), let value = UInt8(hexDigits: rest.prefix(2)) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
