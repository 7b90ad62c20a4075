const URL_PARTS = /^([a-z0-9+.-]+:\/\/)([^?]*)(.*)$/is
const SECRET_PARAMETER = /([?&][^=&]*(?:pass|secret|token|user|key)[^=&]*=)[^&]*/gi

/**
 * Return a URL as it may be shown: without user name and password, also where they stand in its query, or where a slash in
 * them ends what a URL calls its authority. A URL without them comes back as it is.
 */
export function redactUrl(url: string): string {
  const [, scheme, place = '', query = ''] = URL_PARTS.exec(url) ?? []
  if (scheme === undefined) return url
  const [authority = ''] = place.split('/', 1)
  // An @ further behind is part of a name, unless a colon before it has begun a password.
  const end = /[@:]/.test(authority) ? place.lastIndexOf('@') + 1 : 0
  return scheme + place.slice(end) + query.replace(SECRET_PARAMETER, '$1***')
}
