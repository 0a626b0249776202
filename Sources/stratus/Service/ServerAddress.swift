import Foundation

/// Where the server of a data directory was reached last, for commands beside it that print links.
enum ServerAddress {
    private static let fileName = "stratus.address"

    /// Notes the address. That this fails is nobody's trouble: commands then print the one of the settings.
    static func write(_ address: String, in directory: String) {
        guard OutputFile.isOrdinaryOrMissing(file(in: directory).path) else { return }
        // As said: nobody's trouble.
        try? Data(address.utf8).write(to: file(in: directory), options: .atomic)
    }

    /// The address; nil where no server was started in the directory yet.
    static func read(in directory: String) -> String? {
        // No file is no address.
        guard let data = try? Data(contentsOf: file(in: directory)), data.count < 1_000 else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    private static func file(in directory: String) -> URL {
        URL(fileURLWithPath: directory + "/" + fileName)
    }
}
