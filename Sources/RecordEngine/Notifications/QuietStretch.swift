/// That nothing came for a receiver between two cursors: who asks again after the first goes on at the second.
///
/// Clients name the last notification that they have. Where none came for long, all of the log since would be read at each
/// poll, and in the end the horizon would be past it though nothing was missed.
struct QuietStretch: Hashable, Sendable {
    /// What the client named.
    var after: NotificationPlace
    /// Up to where there was nothing.
    var upTo: NotificationPlace
}
