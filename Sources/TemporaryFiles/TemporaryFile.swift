public import Foundation

/// A file that is removed when the last reference to it goes.
public final class TemporaryFile: Sendable {
    /// Where the file is, for as long as the instance lives.
    public let url: URL
    /// Keeps the directory for as long as the file.
    private let directory: ScratchDirectory

    /// Names a file in a directory, which is not made.
    ///
    /// - Throws: ``ScratchError`` when the directory cannot be made.
    public init(in directory: ScratchDirectory, extension pathExtension: String = "") throws(ScratchError) {
        self.directory = directory
        url = try directory.newFile(extension: pathExtension)
    }

    deinit { remove() }

    /// Removes the file now; doing it twice does no harm.
    public func remove() {
        // What was put under the file's name and is no file is left to whoever put it there.
        var info = stat()
        guard lstat(url.path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return }
        // The directory goes when the process ends, and a later process's sweep takes what is left of it.
        unlink(url.path)
    }
}
