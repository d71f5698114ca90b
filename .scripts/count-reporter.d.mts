export const PASSED_FILE: string;
