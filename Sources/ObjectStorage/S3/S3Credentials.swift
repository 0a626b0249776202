import Foundation

/// The key of an S3-compatible store. Printing it tells its name alone.
public struct S3Credentials: Sendable, CustomStringConvertible, CustomReflectable {
    /// The name of the key.
    public let accessKey: String
    let secret: String
    let sessionToken: String?

    /// Collects them.
    ///
    /// - Parameter sessionToken: what belongs to a key that ends with a session.
    public init(accessKey: String, secret: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secret = secret
        self.sessionToken = sessionToken
    }

    public var description: String { "S3Credentials(\(accessKey))" }
    public var customMirror: Mirror { Mirror(self, children: ["accessKey": accessKey]) }

    /// Finds the key where the tools of AWS have it: in `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, or in the file
    /// `AWS_SHARED_CREDENTIALS_FILE` (`~/.aws/credentials`), under the name `AWS_PROFILE` (`default`).
    ///
    /// - Throws: ``ObjectStorageError`` where there is none.
    public static func find(_ environment: [String: String]) throws(ObjectStorageError) -> S3Credentials {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        switch (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY")) {
        case (let key?, let secret?):
            return S3Credentials(accessKey: key, secret: secret, sessionToken: value("AWS_SESSION_TOKEN"))
        case (.some, nil): throw .noCredentials("AWS_SECRET_ACCESS_KEY is not set.")
        case (nil, .some): throw .noCredentials("AWS_ACCESS_KEY_ID is not set.")
        case (nil, nil): break
        }
        let path = value("AWS_SHARED_CREDENTIALS_FILE") ?? value("HOME").map { $0 + "/.aws/credentials" }
        guard let path else { throw .noCredentials("the environment has none, and no file.") }
        guard let data = FileManager.default.contents(atPath: path), data.count < 1 << 20 else {
            throw .noCredentials("the environment has none, and \(path) cannot be read.")
        }
        let profile = value("AWS_PROFILE") ?? "default"
        guard let found = read(String(decoding: data, as: UTF8.self), profile: profile) else {
            throw .noCredentials(
                "\(path) has no aws_access_key_id and aws_secret_access_key below [\(profile)].")
        }
        return found
    }

    /// Reads one section of a file of credentials.
    static func read(_ text: String, profile: String) -> S3Credentials? {
        var isInside = false
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                isInside = line.dropFirst().dropLast().trimmingCharacters(in: .whitespaces) == profile
            } else if isInside, let equals = line.firstIndex(of: "=") {
                let name = line[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
                values[name] = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            }
        }
        guard let key = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
            return nil
        }
        return S3Credentials(accessKey: key, secret: secret, sessionToken: values["aws_session_token"])
    }
}
