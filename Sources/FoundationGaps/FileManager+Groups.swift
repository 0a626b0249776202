public import Foundation

extension FileManager {
    /// A folder that the apps of a group share: `Group Containers/<identifier>` among the user's application support
    /// files. It is made where it is missing.
    ///
    /// Linux has no entitlements: any program of the user that knows the identifier gets the folder.
    ///
    /// - Returns: nil for an identifier that is not a name of a folder, or where the folder cannot be made.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        guard !groupIdentifier.isEmpty, ![".", ".."].contains(groupIdentifier),
            !groupIdentifier.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }),
            let support = urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        else { return nil }
        let folder = support.appendingPathComponent("Group Containers").appendingPathComponent(
            groupIdentifier)
        do {
            try createDirectory(at: folder, withIntermediateDirectories: true)
            return folder
        } catch {
            return nil
        }
    }
}
