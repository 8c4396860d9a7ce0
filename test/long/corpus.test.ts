import { agreementTest } from "../e2e/agreement";

agreementTest(5000);
