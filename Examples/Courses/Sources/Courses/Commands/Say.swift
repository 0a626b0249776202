import Foundation

/// Writes a line at once, so that a reader of a pipe sees it come. A reader that has gone misses it.
func say(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
}
