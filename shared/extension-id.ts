/** The public half of the key that fixes the extension's id in Chromium; the private half was never kept. */
export const EXTENSION_KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwwhfUcQ0xpYP3UV0VobKtSpGxzgXvaeoBLVDKelnVJfdo5wbzDru+YG6w35mqy4Im0cxQ4Z6oAkhezMqvXxOirH2ngUfmZf/CWMiB7ePcUlzQwOjdpWnet/UdqvjJwxd0lVF4u7WjisJQaiKxejSQfOFGr4CBW+9PzCkF2iRkGCTxgbROIK9FiJ+hSl+awwkq3QT5CIS9Wxsqqsxx+XsDkjceaICqBdPB9N7/onyQCUGbtogF1G1Q33vxgSZgYIHJXtYfrpLlC2bITcQXYkcnSNC3flNxwZTVTTHXJKzGy4p7LxJ7o1uTJ9IhUgI2gEQsHWsIz/C56ykX5ub8N7JBwIDAQAB';

/** The id that follows from the key: every Chromium that loads the extension knows it by this. */
export const EXTENSION_ID = 'jmbkmnlakbeoalhhmajelelebgckkmld';

/** The id in Firefox. Its pages have an origin of their own in every profile. */
export const GECKO_ID = 'forge@forge.local';

/** The page that takes a ticket from its address (`#port=…&ticket=…`); a browser that Forge starts opens it first. */
export const TICKET_PAGE = 'pair.html';
