import CloudKit

/// Errors as they were before `throws`.
func write(_ data: Data, to file: URL, error: NSErrorPointer) -> Bool {
    var written = false
    NSFileCoordinator(filePresenter: nil).coordinate(
        writingItemAt: file, options: .forReplacing, error: error
    ) { url in
        written = (try? data.write(to: url)) != nil
    }
    if !written { error?.pointee = CKError(.assetFileNotFound) as NSError }
    return written
}
