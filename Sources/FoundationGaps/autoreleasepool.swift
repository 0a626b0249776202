/// Runs a closure. There is nothing to drain on Linux: objects go with their last reference.
///
/// - Throws: what the closure throws.
public func autoreleasepool<Result, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try body()
}
