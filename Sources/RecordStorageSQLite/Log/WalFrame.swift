/// The sizes of a write-ahead log's parts (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
enum WalFrame {
    /// What stands before each page.
    static let headerBytes = 24
    /// What stands at the beginning of the file.
    static let fileHeaderBytes = 32
}
