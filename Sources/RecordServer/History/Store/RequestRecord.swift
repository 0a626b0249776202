import RecordEngine
import RecordModel
import RecordStorage

/// The bytes in which a request is remembered: numbers at fixed positions, then its texts.
///
/// Whatever is read is checked, so damaged bytes are found and never followed.
enum RequestRecord {
    /// Where the numbers stand.
    enum Place {
        static let high = 0
        static let low = 8
        static let time = 16
        static let microseconds = 24
        static let bytesIn = 28
        static let bytesOut = 32
        static let items = 36
        static let failedItems = 40
        static let status = 44
        static let scope = 46
        static let environment = 47
        static let plan = 48
        static let texts = 49
    }

    static let noText = UInt16.max
    static let scopes: [DatabaseScope?] = [nil, .public, .private, .shared]
    static let environments: [CloudEnvironment?] = [nil, .development, .production]
    static let plans: [ScanPlan?] = [nil, .index, .scan]

    /// How many bytes a request takes.
    static func length(_ entry: RequestLog.Entry, _ texts: RequestTexts) -> Int {
        var length = Place.texts
        texts.forEach(of: entry) { text, value in
            length += 2
            if let value { length += cut(value, to: text.limit) }
        }
        return length
    }

    /// Fills bytes of the right length.
    static func write(
        _ entry: RequestLog.Entry, _ texts: RequestTexts, to bytes: UnsafeMutableRawBufferPointer
    ) {
        func put(_ value: some FixedWidthInteger, _ place: Int) {
            bytes.storeBytes(of: value.littleEndian, toByteOffset: place, as: type(of: value))
        }
        put(entry.uuid.high, Place.high)
        put(entry.uuid.low, Place.low)
        put(entry.time, Place.time)
        put(UInt32(clamping: entry.microseconds), Place.microseconds)
        put(UInt32(clamping: entry.bytesIn), Place.bytesIn)
        put(UInt32(clamping: entry.bytesOut), Place.bytesOut)
        put(UInt32(clamping: entry.trace.items), Place.items)
        put(UInt32(clamping: entry.trace.failedItems), Place.failedItems)
        put(UInt16(clamping: entry.status), Place.status)
        put(UInt8(scopes.firstIndex(of: entry.scope) ?? 0), Place.scope)
        put(UInt8(environments.firstIndex(of: entry.tenant?.environment) ?? 0), Place.environment)
        put(UInt8(plans.firstIndex(of: entry.trace.plan) ?? 0), Place.plan)
        var position = Place.texts
        texts.forEach(of: entry) { text, value in
            guard var value else {
                put(noText, position)
                position += 2
                return
            }
            let count = cut(value, to: text.limit)
            put(UInt16(count), position)
            value.withUTF8 { utf8 in
                UnsafeMutableRawBufferPointer(rebasing: bytes[position + 2..<position + 2 + count])
                    .copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[..<count]))
            }
            position += 2 + count
        }
    }

    /// How many bytes of a text fit into a limit without cutting a character's scalars in two.
    static func cut(_ text: String, to limit: Int) -> Int {
        let utf8 = text.utf8
        guard utf8.count > limit else { return utf8.count }
        var index = utf8.index(utf8.startIndex, offsetBy: limit)
        var count = limit
        while count > 0, utf8[index] & 0xC0 == 0x80 {
            utf8.formIndex(before: &index)
            count -= 1
        }
        return count
    }
}

/// The texts of a request that are remembered.
struct RequestTexts {
    /// Each text, in the order in which they are written.
    enum Text: Int, CaseIterable {
        case method, route, path, container, user, code, userAgent, recordType, reason, remedy, cause, items

        /// How many bytes of it are kept.
        var limit: Int {
            switch self {
            case .items: 4 * Limits.requestTextBytes
            case .path, .userAgent, .reason, .remedy, .cause: Limits.requestTextBytes
            case .method, .route, .container, .user, .code, .recordType: Limits.nameLength
            }
        }
    }

    private var reason: String?
    private var remedy: String?
    private var cause: String?
    private var items: String?

    /// Takes the texts of an entry; what an error says is put into words only where there is one.
    init(_ entry: RequestLog.Entry) {
        if let error = entry.trace.error {
            let failure = ServiceError(describing: error)
            reason = failure.reason
            remedy = failure.remedy
            cause = failure.cause.map { String(describing: $0) }
        }
        if !entry.trace.itemFailures.isEmpty { items = KeptItemFailure.text(entry.trace.itemFailures) }
    }

    /// Goes through the texts of the entry, which is not copied: that would cost more than all else.
    @inline(__always)
    func forEach(of entry: RequestLog.Entry, _ body: (Text, String?) -> Void) {
        body(.method, entry.method)
        body(.route, entry.route)
        body(.path, entry.path)
        body(.container, entry.tenant?.container.rawValue)
        body(.user, entry.trace.user)
        body(.code, entry.trace.code?.description)
        body(.userAgent, entry.userAgent)
        body(.recordType, entry.trace.recordType)
        body(.reason, reason)
        body(.remedy, remedy)
        body(.cause, cause)
        body(.items, items)
    }
}
