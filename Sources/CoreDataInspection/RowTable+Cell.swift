public import Foundation
internal import StratusCoreData

extension RowTable {
    /// A value of an object: whole for scripts, and as a line for people.
    public enum Cell: Sendable, Equatable {
        case empty
        case truth(Bool)
        case integer(Int64)
        case number(Double)
        case decimal(Decimal)
        case text(String)
        case date(Date)
        case bytes(Data)

        /// Takes any value that an attribute can have; what is not a plain value is described.
        init(_ any: Any?, of type: NSAttributeType = .undefinedAttributeType) {
            switch any {
            case nil, is NSNull: self = .empty
            case let text as String: self = .text(text)
            case let date as Date: self = .date(date)
            case let data as Data: self = .bytes(data)
            case let url as URL: self = .text(url.absoluteString)
            case let uuid as UUID: self = .text(uuid.uuidString)
            case let decimal as NSDecimalNumber: self = .decimal(decimal.decimalValue)
            case let number as NSNumber where type == .booleanAttributeType: self = .truth(number.boolValue)
            case let number as NSNumber where [.doubleAttributeType, .floatAttributeType].contains(type):
                self = .number(number.doubleValue)
            case let number as NSNumber: self = .integer(number.int64Value)
            case .some(let value): self = .text("\(value)")
            }
        }

        /// The value on one line, large ones shortened; nil for no value.
        public var line: String? {
            switch self {
            case .empty: nil
            case .truth(let value): value ? "1" : "0"
            case .integer(let value): "\(value)"
            case .number(let value): "\(NSNumber(value: value))"
            case .decimal(let value): "\(value)"
            case .text(let text): Self.oneLine(text)
            case .date(let date): Self.stamp(date)
            case .bytes(let data): Self.start(of: data)
            }
        }

        private static func stamp(_ date: Date) -> String {
            date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }

        private static func start(of data: Data) -> String {
            let start = data.prefix(8).map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }
            .joined()
            return "<\(data.count) bytes\(data.isEmpty ? "" : " " + start)\(data.count > 8 ? "…" : "")>"
        }

        private static func oneLine(_ text: String) -> String {
            text.replacingOccurrences(of: "\r\n", with: "⏎").replacingOccurrences(of: "\n", with: "⏎")
                .replacingOccurrences(of: "\t", with: " ")
        }
    }
}

extension RowTable.Cell: Encodable {
    /// Numbers and truth values as such, dates as ISO 8601, bytes as base64, numbers that JSON lacks as text.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .empty: try container.encodeNil()
        case .truth(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value) where value.isFinite: try container.encode(value)
        case .number(let value): try container.encode("\(value)")
        case .decimal(let value): try container.encode(value)
        case .text(let text): try container.encode(text)
        case .date(let date): try container.encode(Self.stamp(date))
        case .bytes(let data): try container.encode(data.base64EncodedString())
        }
    }
}
