import RecordModel
import RecordStorage

extension RequestRecord {
    /// A remembered request's bytes, looked at without making anything of them.
    struct View {
        let bytes: UnsafeRawBufferPointer

        /// Nil where the bytes are too few for any request.
        init?(_ bytes: UnsafeRawBufferPointer) {
            guard bytes.count >= Place.texts else { return nil }
            self.bytes = bytes
        }

        /// A number at one of the fixed positions.
        func number<Number: FixedWidthInteger>(_ place: Int, as type: Number.Type = Number.self) -> Number {
            Number(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: type))
        }

        var id: RequestID { RequestID(high: number(Place.high), low: number(Place.low)) }
        var status: Int { Int(number(Place.status, as: UInt16.self)) }
        var failedItems: Int { Int(number(Place.failedItems, as: UInt32.self)) }
        var microseconds: UInt32 { number(Place.microseconds) }

        /// The value of a list that a number at a position points at.
        func choice<Value>(_ place: Int, _ values: [Value?]) -> Value? {
            let index = Int(number(place, as: UInt8.self))
            return index < values.count ? values[index] : nil
        }

        /// Where a text lies; nil for one that the request lacks, and for damaged bytes.
        func range(of wanted: RequestTexts.Text) -> Range<Int>? {
            var position = Place.texts
            for index in 0...wanted.rawValue {
                guard position + 2 <= bytes.count else { return nil }
                let length: UInt16 = number(position)
                position += 2
                let end = position + (length == noText ? 0 : Int(length))
                guard end <= bytes.count else { return nil }
                if index == wanted.rawValue { return length == noText ? nil : position..<end }
                position = end
            }
            return nil
        }

        func text(_ wanted: RequestTexts.Text) -> String? {
            range(of: wanted).map { String(decoding: bytes[$0], as: UTF8.self) }
        }

        /// Whether a text is exactly the given one.
        func has(_ text: [UInt8], as wanted: RequestTexts.Text) -> Bool {
            guard let range = range(of: wanted), range.count == text.count else { return false }
            return bytes[range].elementsEqual(text)
        }
    }

    /// Makes a request of its bytes.
    static func request(_ view: View, sequence: UInt64) -> KeptRequest {
        KeptRequest(
            sequence: sequence, id: view.id, time: view.number(Place.time),
            method: view.text(.method) ?? "", route: view.text(.route) ?? "", path: view.text(.path),
            container: view.text(.container), environment: view.choice(Place.environment, environments),
            scope: view.choice(Place.scope, scopes), status: view.status, code: view.text(.code),
            user: view.text(.user), userAgent: view.text(.userAgent), recordType: view.text(.recordType),
            milliseconds: Double(view.microseconds) / 1_000,
            bytesIn: Int(view.number(Place.bytesIn, as: UInt32.self)),
            bytesOut: Int(view.number(Place.bytesOut, as: UInt32.self)),
            items: Int(view.number(Place.items, as: UInt32.self)), failedItems: view.failedItems,
            plan: view.choice(Place.plan, plans), reason: view.text(.reason), remedy: view.text(.remedy),
            cause: view.text(.cause),
            itemFailures: view.text(.items).map(KeptItemFailure.read) ?? [])
    }
}
