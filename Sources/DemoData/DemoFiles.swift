import Foundation

/// What the demo's records are made of: a folder of tables and pictures, as Examples/Demo is one.
///
///     cities.json            the cities; record after record takes its city in their order
///     names.json             how people are called, by culture
///     sentences/NAME.json    what people write in a language, and what restaurants are called there
///     dishes.json            what each kind of restaurant is known for
///     pictures/DISH-1.png    what a dish looks like; DISH-2.png and so on where there are more
public struct DemoFiles: Sendable {
    /// No file is larger, in bytes.
    static let largestFile = 1 << 20
    /// A dish has no more pictures.
    static let mostPictures = 9

    let cities: [City]
    let dishes: [String: [String]]
    let pictures: [String: [[UInt8]]]

    /// Reads all of a folder, and checks it.
    ///
    /// - Parameter folder: its path.
    /// - Throws: a ``DemoFilesError`` that names the first file which is missing or wrong.
    public init(folder: String) throws {
        let reader = DemoFileReader(folder: folder)
        cities = try reader.cities()
        dishes = try reader.dishes(of: cities)
        pictures = try reader.pictures(of: Set(dishes.values.joined()))
    }

    /// Whether a folder is one of a demo.
    public static func isFolder(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/" + DemoFileReader.citiesName)
    }
}
