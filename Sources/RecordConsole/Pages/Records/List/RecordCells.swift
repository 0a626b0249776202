import Foundation
import RecordEngine
import RecordImport
import RecordModel
import RecordWire

/// Writes the values of fields into a table.
struct RecordCells {
    /// The part of an address below the console that leads to a record of the same zone.
    let linkBase: String
    let linkQuery: String

    /// The longest text that a cell holds; the rest is in the record's page.
    private static let longest = 300
    private static let chips = 8

    /// Writes a value, as a field of an answer carries it.
    func write(_ field: JSONObject?, to html: inout HTMLWriter) {
        guard let field, let value = field.members.last(where: { $0.key == "value" })?.value, value != .null
        else { return html.mark("<td class=\"none\"><span class=\"visually-hidden\">no value</span>") }
        let tag = field["type"]?.string ?? ""
        if tag.hasSuffix("_LIST") {
            html.mark("<td>")
            return list(value.array ?? [], tag: String(tag.dropLast(5)), to: &html)
        }
        switch tag {
        case "INT64", "DOUBLE": html.mark("<td class=\"number\">")
        case "STRING":
            html.mark("<td class=\"clip\"")
            if let text = value.string, text.utf8.count > 20 {
                html.mark(" title=\"")
                html.text(String(text.prefix(Self.longest)))
                html.mark("\"")
            }
            html.mark(">")
        default: html.mark("<td>")
        }
        scalar(value, tag: tag, to: &html)
    }

    private func list(_ elements: [JSONValue], tag: String, to html: inout HTMLWriter) {
        for element in elements.prefix(Self.chips) {
            html.mark("<span class=\"chip\">")
            scalar(element, tag: tag, to: &html)
            html.mark("</span> ")
        }
        if elements.count > Self.chips {
            html.mark("<span class=\"hint\">and ")
            html.number(Int64(elements.count - Self.chips))
            html.mark(" more</span>")
        }
        if elements.isEmpty { html.mark("<span class=\"hint\">empty list</span>") }
    }

    func scalar(_ value: JSONValue, tag: String, to html: inout HTMLWriter) {
        switch (tag, value) {
        case ("TIMESTAMP", _): Self.time(value.int ?? 0, to: &html)
        case ("REFERENCE", .object(let object)):
            link(object["recordName"]?.string ?? "", to: &html)
        case ("LOCATION", .object(let object)):
            Self.place(object["latitude"]?.double ?? 0, object["longitude"]?.double ?? 0, to: &html)
        case ("BYTES", .string(let text)):
            html.mark("<span class=\"hint\">")
            html.text(NumberText.bytes(Int64(Base64.decode(text)?.count ?? 0)))
            html.mark("</span>")
        case ("ASSETID", .object(let object)): Self.asset(object, to: &html)
        case (_, .string(let text)): html.text(String(text.prefix(Self.longest)))
        case (_, .int(let number)): html.number(number)
        case (_, .double(let number)): html.text(number.description)
        default:
            html.text(
                String(decoding: JSONWriter.text { $0.value(value) }.prefix(Self.longest), as: UTF8.self))
        }
    }

    /// A moment, which the page's script shows in the reader's time zone.
    static func time(_ milliseconds: Int64, to html: inout HTMLWriter) {
        html.mark("<time data-ms=\"")
        html.number(milliseconds)
        html.mark("\">")
        html.text(ISOTime.text(milliseconds))
        html.mark("</time>")
    }

    /// A link to a record of the same zone.
    func link(_ name: String, to html: inout HTMLWriter) {
        html.mark("<a href=\"")
        html.text(RecordsAddress.recordPath(name, below: linkBase, linkQuery))
        html.mark("\">")
        html.text(name)
        html.mark("</a>")
    }

    private static func place(_ latitude: Double, _ longitude: Double, to html: inout HTMLWriter) {
        let text = String(format: "%.5f, %.5f", latitude, longitude)
        html.mark("<a class=\"place\" href=\"geo:")
        html.text("\(latitude),\(longitude)")
        html.mark("\" title=\"Open in a maps app\">")
        html.text(text)
        html.mark("</a>")
    }

    /// A file: a small picture where it is one, else a link.
    static func asset(_ object: JSONObject, to html: inout HTMLWriter) {
        let size = NumberText.bytes(object["size"]?.int ?? 0)
        guard let address = downloadURL(of: object) else {
            html.mark("<span class=\"hint\">file, ")
            html.text(size)
            html.mark("</span>")
            return
        }
        // Beside the console: a picture in its place would be a way out of the list.
        html.mark("<a class=\"asset\" href=\"")
        html.text(address)
        html.mark(
            "\" target=\"_blank\" rel=\"noopener\"><img class=\"thumb\" loading=\"lazy\" alt=\"\" src=\"")
        html.text(address)
        html.mark("\"><span class=\"hint\">")
        html.text(size)
        html.mark("</span></a>")
    }

    /// Where a file can be fetched, with a name in the place that answers leave for one.
    static func downloadURL(of asset: JSONObject) -> String? {
        // The console is on the same server, whatever name it goes by.
        guard let address = asset["downloadURL"]?.string,
            let path = address.firstRange(of: AssetPath.download + "/")
        else { return nil }
        return FilePages.address(address[path.lowerBound...]).replacing(AssetPath.fileNameMark, with: "file")
    }
}
