// As Predicates does with its names: what gets Foundation through this module takes PersonNameComponentsFormatter for this
// module's.
@_exported public import Foundation
