import Foundation

/// Reads and checks the files of a demo's folder.
struct DemoFileReader {
    static let citiesName = "cities.json"

    let folder: String

    /// The cities, each with its names and sentences.
    func cities() throws -> [City] {
        let rows: [CityRow] = try table(Self.citiesName)
        try check(!rows.isEmpty, Self.citiesName, "there is no city in it")
        let names: [String: PersonNames] = try table("names.json")
        for (name, names) in names {
            try check(names.fault, "names.json", name)
        }
        var sentences: [String: Sentences] = [:]
        for name in Set(rows.map(\.sentences)).sorted() {
            let file = "sentences/\(try word(name, in: Self.citiesName)).json"
            let found: Sentences = try table(file)
            try check(found.fault, file, name)
            sentences[name] = found
        }
        return try rows.map { row in
            try check(row.fault, Self.citiesName, row.name)
            guard let names = names[row.names], let sentences = sentences[row.sentences] else {
                throw DemoFilesError.wrong(path("names.json"), "there is no '\(row.names)'")
            }
            return City(row, Culture(names: names, sentences: sentences))
        }
    }

    /// The dishes of each kind of restaurant that the cities have.
    func dishes(of cities: [City]) throws -> [String: [String]] {
        let file = "dishes.json"
        let dishes: [String: [String]] = try table(file)
        for (kind, names) in dishes {
            try check(!names.isEmpty, file, "'\(kind)' has no dish")
            for name in names { _ = try word(name, in: file) }
        }
        for kind in Set(cities.flatMap(\.culture.sentences.cuisines)).sorted() {
            try check(dishes[kind] != nil, file, "there is no '\(kind)', which sentences have")
        }
        return dishes
    }

    /// The pictures of each dish, at least one.
    func pictures(of dishes: Set<String>) throws -> [String: [[UInt8]]] {
        var pictures: [String: [[UInt8]]] = [:]
        for dish in dishes.sorted() {
            var number = 1
            repeat {
                let file = "pictures/\(dish)-\(number).png"
                let bytes = try bytes(of: file)
                try check(bytes.starts(with: Self.signature), file, "it is not a PNG")
                pictures[dish, default: []].append(Array(bytes))
                number += 1
            } while number <= DemoFiles.mostPictures
                && FileManager.default.fileExists(atPath: path("pictures/\(dish)-\(number).png"))
        }
        return pictures
    }

    /// The first bytes of a PNG.
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private func table<Table: Decodable>(_ file: String) throws -> Table {
        do {
            return try JSONDecoder().decode(Table.self, from: try bytes(of: file))
        } catch let error as DecodingError {
            throw DemoFilesError.wrong(path(file), error)
        }
    }

    private func bytes(of file: String) throws -> Data {
        let path = path(file)
        do {
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let attributes = try FileManager.default.attributesOfItem(atPath: target)
            let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
            let limit = DemoFiles.largestFile
            guard attributes[.type] as? FileAttributeType == .typeRegular, size <= limit else {
                throw DemoFilesError.wrong(path, "it has to be a file of \(limit) bytes at most")
            }
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch let error as CocoaError {
            throw DemoFilesError.unreadable(path, error)
        }
    }

    /// A name that becomes part of a file's: letters of ASCII and digits, so that it leads nowhere else.
    private func word(_ name: String, in file: String) throws -> String {
        let isWord = name.wholeMatch(of: /[A-Za-z0-9]+/) != nil
        try check(isWord, file, "'\(name)' has to be a word of letters and digits")
        return name
    }

    private func path(_ file: String) -> String { folder + "/" + file }

    private func check(_ holds: Bool, _ file: String, _ reason: @autoclosure () -> String) throws {
        guard holds else { throw DemoFilesError.wrong(path(file), reason()) }
    }

    private func check(_ fault: String?, _ file: String, _ name: String) throws {
        if let fault { throw DemoFilesError.wrong(path(file), "at '\(name)', \(fault)") }
    }
}
