public import Foundation
internal import Synchronization

/// What coordinators notify of changes to a file; on Linux they only name it.
public protocol NSFilePresenter: NSObjectProtocol {
    /// The file.
    var presentedItemURL: URL? { get }
    /// Where the presenter is notified.
    var presentedItemOperationQueue: OperationQueue { get }
}

/// Lets readers of a file wait for its writers, and writers for everybody.
///
/// Among the coordinators of this process. Other processes are not waited for, and presenters are not notified: Linux
/// has no service for either.
///
/// Unchecked sendable because the class is open, as Apple's is; what changes is behind a lock or atomic.
open class NSFileCoordinator: NSObject, @unchecked Sendable {
    /// How a file is read.
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Presenters need not save first. Nobody is asked on Linux.
        public static let withoutChanges = ReadingOptions(rawValue: 1)
        /// The accessor gets the address that a symbolic link leads to.
        public static let resolvesSymbolicLink = ReadingOptions(rawValue: 2)
        /// Only what the system knows about the file is read.
        public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 4)
        /// The file is to be uploaded.
        public static let forUploading = ReadingOptions(rawValue: 8)
    }

    /// How a file is written.
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The file is deleted.
        public static let forDeleting = WritingOptions(rawValue: 1)
        /// The file is moved.
        public static let forMoving = WritingOptions(rawValue: 2)
        /// Presenters' changes are written first. Nobody is asked on Linux.
        public static let forMerging = WritingOptions(rawValue: 4)
        /// The file is replaced.
        public static let forReplacing = WritingOptions(rawValue: 8)
        /// Only metadata is written.
        public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 16)
    }

    /// Coordinators of the same purpose do not wait for each other.
    open var purposeIdentifier: String {
        get { purpose.withLock { $0 } }
        set { purpose.withLock { $0 = newValue } }
    }

    private let purpose = Mutex(UUID().uuidString)
    private let isCancelled = Atomic(false)

    /// Creates a coordinator. A presenter is not notified of what its own coordinator does, and on Linux of nothing
    /// else.
    public init(filePresenter filePresenterOrNil: (any NSFilePresenter)? = nil) {}

    /// Presenters are not notified on Linux.
    open class func addFilePresenter(_ filePresenter: any NSFilePresenter) {}
    /// Presenters are not notified on Linux.
    open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {}
    /// Empty: presenters are not kept on Linux.
    open class var filePresenters: [any NSFilePresenter] { [] }

    /// Runs a closure while no other coordinator writes the file.
    ///
    /// - Parameter outError: set, and the closure not run, when ``cancel()`` was called.
    open func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        let url = options.contains(.resolvesSymbolicLink) ? url.resolvingSymlinksInPath() : url
        run([claim(url, isWriting: false)], outError) { reader(url) }
    }

    /// Runs a closure while no other coordinator reads or writes the file.
    ///
    /// - Parameter outError: set, and the closure not run, when ``cancel()`` was called.
    open func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor writer: (URL) -> Void
    ) {
        run([claim(url, isWriting: true)], outError) { writer(url) }
    }

    /// Runs a closure while no other coordinator writes one file, or reads or writes another.
    ///
    /// - Parameter outError: set, and the closure not run, when ``cancel()`` was called.
    open func coordinate(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer, byAccessor readerWriter: (URL, URL) -> Void
    ) {
        run([claim(readingURL, isWriting: false), claim(writingURL, isWriting: true)], outError) {
            readerWriter(readingURL, writingURL)
        }
    }

    /// Runs a closure while no other coordinator reads or writes either file.
    ///
    /// - Parameter outError: set, and the closure not run, when ``cancel()`` was called.
    open func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [], writingItemAt url2: URL,
        options options2: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor writer: (URL, URL) -> Void
    ) {
        run([claim(url1, isWriting: true), claim(url2, isWriting: true)], outError) { writer(url1, url2) }
    }

    /// Says that a file was moved. Presenters are not notified on Linux.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {}

    /// Lets what waits end with an error, and what is begun later too.
    open func cancel() {
        isCancelled.store(true, ordering: .releasing)
        FileClaims.shared.wake()
    }

    private func claim(_ url: URL, isWriting: Bool) -> FileClaims.Claim {
        FileClaims.Claim(path: url.standardizedFileURL.resolvingSymlinksInPath().path, isWriting: isWriting)
    }

    private func run(
        _ claims: [FileClaims.Claim], _ outError: NSErrorPointer, _ body: () -> Void
    ) {
        let id = FileClaims.shared.take(claims, purpose: purposeIdentifier) {
            isCancelled.load(ordering: .acquiring)
        }
        guard let id else {
            outError?.pointee = CocoaError(.userCancelled) as NSError
            return
        }
        defer { FileClaims.shared.release(id) }
        body()
    }
}
