internal import Foundation

/// A small XML reader: elements and attributes with their lines, and nothing from outside the file.
///
/// Foundation's parser on Linux gives neither dependable lines nor a promise not to trap on damaged bytes.
/// Entities other than the five of XML are refused, so a small file stays small.
struct XMLScanner {
    static let maximumBytes = 64 << 20
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private let file: String
    /// Models have no text between their elements, so it is looked at only where it counts.
    private let keepsText: Bool

    private init(bytes: [UInt8], file: String, keepsText: Bool) {
        self.bytes = bytes
        self.file = file
        self.keepsText = keepsText
    }

    /// The root element of a file.
    static func root(of data: Data, file: String, keepsText: Bool = false) throws -> XMLElement {
        guard data.count <= maximumBytes else {
            throw ModelDocumentError(.tooLarge("\(data.count) bytes of XML"), file: file)
        }
        var scanner = XMLScanner(bytes: try utf8(data, file: file), file: file, keepsText: keepsText)
        try scanner.rejectMergeMarks()
        return try scanner.document()
    }

    private static func utf8(_ data: Data, file: String) throws -> [UInt8] {
        let start = [UInt8](data.prefix(3))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return [UInt8](data.dropFirst(3)) }
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) {
            guard let text = String(data: data, encoding: .utf16) else {
                throw ModelDocumentError(.xml("the text is not UTF-16"), file: file, line: 1)
            }
            return [UInt8](text.utf8)
        }
        return [UInt8](data)
    }

    /// Conflict marks stand at the start of a line, where XML has no other use for them.
    private func rejectMergeMarks() throws {
        var number = 1
        for row in bytes.split(separator: 10, omittingEmptySubsequences: false) {
            let start = String(decoding: row.prefix(8), as: UTF8.self)
            if ["<<<<<<< ", ">>>>>>> ", "||||||| "].contains(start) || start == "======="
                || start == "=======\r"
            {
                throw ModelDocumentError(.mergeConflict, file: file, line: number)
            }
            number += 1
        }
    }

    private mutating func document() throws -> XMLElement {
        var open: [XMLElement] = []
        while true {
            if keepsText, !open.isEmpty {
                open[open.count - 1].text += try text()
            } else {
                skipText()
            }
            guard position < bytes.count else { throw fault(missingEnd(open)) }
            if starts("<!--") {
                try skip(past: "-->")
            } else if starts("<![CDATA[") {
                try skip(past: "]]>")
            } else if starts("<?") {
                try skip(past: "?>")
            } else if starts("<!") {
                try skip(past: ">")
            } else if starts("</") {
                position += 2
                let name = try self.name()
                skipBlank()
                try expect(62)
                guard let element = open.popLast() else { throw fault("</\(name)> ends what never began") }
                guard element.name == name else {
                    throw fault("</\(name)> ends <\(element.name)> of line \(element.line)")
                }
                if open.isEmpty { return element }
                open[open.count - 1].children.append(element)
            } else {
                let (element, isClosed) = try startTag()
                if !isClosed {
                    guard open.count < Self.maximumDepth else { throw fault("the elements nest too deeply") }
                    open.append(element)
                } else if open.isEmpty {
                    return element
                } else {
                    open[open.count - 1].children.append(element)
                }
            }
        }
    }

    private func missingEnd(_ open: [XMLElement]) -> String {
        guard let last = open.last else { return "the text has no element" }
        return "the file ends inside <\(last.name)> of line \(last.line)"
    }

    private mutating func startTag() throws -> (XMLElement, isClosed: Bool) {
        let start = line
        position += 1
        var element = XMLElement(name: try name(), line: start)
        while true {
            let hasBlank = skipBlank()
            guard let byte = current else { throw fault("the file ends inside <\(element.name)>") }
            if byte == 62 {
                position += 1
                return (element, false)
            }
            if byte == 47 {
                position += 1
                try expect(62)
                return (element, true)
            }
            guard hasBlank else { throw fault("a blank is missing inside <\(element.name)>") }
            let attribute = try name()
            skipBlank()
            try expect(61)
            skipBlank()
            let value = try attributeValue()
            guard element.attributes.updateValue(value, forKey: attribute) == nil else {
                throw fault("<\(element.name)> has the attribute '\(attribute)' twice")
            }
        }
    }

    private mutating func attributeValue() throws -> String {
        guard let quote = current, quote == 34 || quote == 39 else {
            throw fault("an attribute has no quotes")
        }
        position += 1
        var value: [UInt8] = []
        while let byte = current {
            if byte == quote {
                position += 1
                guard let text = String(validating: value, as: UTF8.self) else {
                    throw fault("the text of an attribute is not UTF-8")
                }
                return text
            }
            switch byte {
            case 60: throw fault("the value of an attribute contains '<'")
            case 38: value += [UInt8](try reference().utf8)
            case 9, 10, 13:
                // XML turns line breaks of a value into blanks, and CR LF into one.
                if byte != 13 || peek(1) != 10 { value.append(32) }
                advance()
            default:
                value.append(byte)
                position += 1
            }
        }
        throw fault("the file ends inside a value")
    }

    private mutating func reference() throws -> String {
        let limit = min(bytes.count, position + 12)
        guard let end = bytes[position..<limit].firstIndex(of: 59) else {
            throw fault("'&' does not begin an entity")
        }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        let digits = name.dropFirst()
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard name.hasPrefix("#"), let number, let scalar = Unicode.Scalar(number) else {
            throw fault("'&\(name);' is not an entity")
        }
        return String(Character(scalar))
    }

    private mutating func name() throws -> String {
        let start = position
        while let byte = current, isNameByte(byte) { position += 1 }
        guard position > start, !(45...57).contains(bytes[start]),
            let name = String(validating: bytes[start..<position], as: UTF8.self)
        else {
            throw fault("a name is missing")
        }
        return name
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...58, 65...90, 95, 97...122, 45, 46, 128...255: true
        default: false
        }
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func peek(_ distance: Int) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private func starts(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    private mutating func advance() {
        if bytes[position] == 10 { line += 1 }
        position += 1
    }

    @discardableResult
    private mutating func skipBlank() -> Bool {
        let start = position
        while let byte = current, byte == 32 || (9...13).contains(byte) { advance() }
        return position > start
    }

    /// The text up to the next tag, with its entities replaced.
    private mutating func text() throws -> String {
        var value: [UInt8] = []
        while let byte = current, byte != 60 {
            if byte == 38 {
                value += [UInt8](try reference().utf8)
            } else {
                value.append(byte)
                advance()
            }
        }
        guard let text = String(validating: value, as: UTF8.self) else {
            throw fault("the text of an element is not UTF-8")
        }
        return text
    }

    private mutating func skipText() {
        while let byte = current, byte != 60 { advance() }
    }

    private mutating func skip(past text: StaticString) throws {
        while position < bytes.count {
            if starts(text) {
                position += text.utf8CodeUnitCount
                return
            }
            advance()
        }
        throw fault("the file ends inside a comment or declaration")
    }

    private mutating func expect(_ byte: UInt8) throws {
        guard current == byte else {
            throw fault("'\(String(Character(Unicode.Scalar(byte))))' is missing")
        }
        position += 1
    }

    private func fault(_ why: String) -> ModelDocumentError {
        ModelDocumentError(.xml(why), file: file, line: line)
    }
}
