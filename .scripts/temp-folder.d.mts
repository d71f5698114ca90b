export const tempFolder: string;
