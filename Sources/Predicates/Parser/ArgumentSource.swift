/// Where the values of `%` arguments come from.
enum ArgumentSource {
    /// Nowhere: they stay placeholders.
    case template
    /// From a list, in order.
    case values([Any?])
}
