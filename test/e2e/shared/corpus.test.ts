import { agreementTest } from "../agreement";

agreementTest(1000);
