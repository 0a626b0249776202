import HTTPTypes
import HummingbirdCore
import RecordModel
import RecordWire

/// The sentence that the next page says once, after a change: it travels in a cookie, so that reloading says
/// nothing again.
enum Flash {
    private static let name = "stratus_flash"

    static func setting(_ sentence: String) -> HTTPField {
        let text = Base64.encodeURL(Array(sentence.prefix(500).utf8))
        return HTTPField(
            name: .setCookie, value: "\(name)=\(text); Path=/console; Max-Age=60; HttpOnly; SameSite=Strict")
    }

    static let cleared = HTTPField(
        name: .setCookie, value: "\(name)=; Path=/console; Max-Age=0; HttpOnly; SameSite=Strict")

    static func read(from request: Request) -> String? {
        guard let text = Cookies.value(name, in: request), let bytes = Base64.decode(text), !bytes.isEmpty
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// The container that was looked at last: pages of the whole service keep its menu.
enum LastTenant {
    private static let name = "stratus_container"

    static func setting(_ tenant: Tenant) -> HTTPField {
        HTTPField(
            name: .setCookie,
            value:
                "\(name)=\(tenant.container)/\(tenant.environment.rawValue); Path=/console; HttpOnly; SameSite=Strict"
        )
    }

    static func read(from request: Request) -> Tenant? {
        guard let parts = Cookies.value(name, in: request)?.split(separator: "/"), parts.count == 2,
            let container = try? ContainerID(String(parts[0])),
            let environment = CloudEnvironment(rawValue: String(parts[1]))
        else { return nil }
        return Tenant(container: container, environment: environment)
    }
}

/// The cookies that a browser sends.
enum Cookies {
    static func value(_ name: String, in request: Request) -> String? {
        for header in request.headers[values: .cookie] {
            for item in header.split(separator: ";") {
                let parts = item.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].trimmingPrefix(while: { $0 == " " }) == name else {
                    continue
                }
                return String(parts[1])
            }
        }
        return nil
    }
}
