#include <curl/curl.h>

// Swift cannot call functions with a variable number of arguments, and libcurl's take values of these kinds.

typedef size_t (*stratus_curl_bytes)(char *bytes, size_t size, size_t count, void *transfer);
typedef curl_socket_t (*stratus_curl_opener)(void *transfer, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*stratus_curl_seek)(void *transfer, curl_off_t offset, int origin);

static inline CURLcode stratus_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode stratus_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/// HTTP/2 over TLS where the server has it, and what an answer over HTTP/2 is marked with.
static const long stratus_curl_http2_tls = CURL_HTTP_VERSION_2TLS;
static const long stratus_curl_http2 = CURL_HTTP_VERSION_2_0;

/// libcurl copies the text.
static inline CURLcode stratus_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

/// What is pointed to has to live as long as the handle uses it.
static inline CURLcode stratus_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode stratus_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode stratus_curl_set_bytes(CURL *handle, CURLoption option, stratus_curl_bytes value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode stratus_curl_set_seek(CURL *handle, stratus_curl_seek value) {
    return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, value);
}

/// Who opens sockets, and what it is called with.
static inline CURLcode stratus_curl_set_opener(CURL *handle, stratus_curl_opener value, void *transfer) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, transfer);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value) : code;
}

/// The address itself, which Swift does not see in the structure.
static inline const struct sockaddr *stratus_curl_address(const struct curl_sockaddr *address) {
    return &address->addr;
}

/// Only these two protocols, also where a server leads elsewhere. The newer options that take names are not in the
/// libcurl of Ubuntu 22.04.
static inline CURLcode stratus_curl_allow_http_only(CURL *handle) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    long protocols = CURLPROTO_HTTP | CURLPROTO_HTTPS;
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PROTOCOLS, protocols);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS, protocols) : code;
#pragma GCC diagnostic pop
}

/// Only mail, also where the address says something else.
static inline CURLcode stratus_curl_allow_smtp_only(CURL *handle) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_SMTP | CURLPROTO_SMTPS));
#pragma GCC diagnostic pop
}

static inline CURLcode stratus_curl_number(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode stratus_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
