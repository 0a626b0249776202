import CloudKit

/// An operation with a memory of its own: the concrete classes can be subclassed.
class CountingOperation: CKModifyRecordsOperation {
    static var made = 0
    let number: Int

    override init() {
        CountingOperation.made += 1
        number = CountingOperation.made
        super.init()
    }

    override func main() {
        super.main()
    }
}

class NamedFetch: CKFetchRecordsOperation {
    var title = ""
    override var debugDescription: String { "fetch of \(title)" }
}
