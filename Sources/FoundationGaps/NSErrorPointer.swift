public import Foundation

/// Where a function of before `throws` leaves its error: `&error` for a variable of the type `NSError?`, or nil.
///
/// Apple's is an `AutoreleasingUnsafeMutablePointer`, of which there is none without Objective-C.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
