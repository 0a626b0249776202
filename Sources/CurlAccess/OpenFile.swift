internal import Foundation

/// A file that is open for a transfer, and closed with it.
final class OpenFile {
    let path: String
    private var number: Int32

    /// Opens a file to send.
    ///
    /// - Throws: ``CurlError`` of the kind `file`.
    init(reading path: String) throws(CurlError) {
        self.path = path
        number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw CurlError(file: path, errno) }
    }

    /// Makes a file that only this user can read.
    ///
    /// - Throws: ``CurlError`` of the kind `file`, also where there is one already.
    init(creating path: String) throws(CurlError) {
        self.path = path
        number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw CurlError(file: path, errno) }
    }

    deinit {
        // What was written is checked by close(); this is the way out of a transfer that failed.
        if number >= 0 { _ = Foundation.close(number) }
    }

    /// The number of bytes that the file has now.
    func size() throws(CurlError) -> Int64 {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw CurlError(file: path, errno) }
        return Int64(status.st_size)
    }

    /// Reads the next bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CurlError) -> Int {
        while true {
            let count = Foundation.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw CurlError(file: path, errno) }
        }
    }

    /// Goes to a place for the next bytes.
    func seek(to offset: Int64) -> Bool { lseek(number, off_t(offset), SEEK_SET) >= 0 }

    func write(_ bytes: UnsafeRawBufferPointer) throws(CurlError) {
        var done = 0
        while let start = bytes.baseAddress, done < bytes.count {
            let count = Foundation.write(number, start + done, bytes.count - done)
            if count < 0 {
                guard errno == EINTR else { throw CurlError(file: path, errno) }
                continue
            }
            done += count
        }
    }

    /// Closes a file that was written.
    func close() throws(CurlError) {
        defer { number = -1 }
        guard Foundation.close(number) == 0 else { throw CurlError(file: path, errno) }
    }
}
