//! A calibration of judges: their grades beside those of people.

mod calibration;
mod labelled_answers;
mod options;
mod prepare;

pub use calibration::{Calibration, JudgedAnswer, JudgedAnswers};
pub use labelled_answers::HumanLabel;
pub use options::CalibrateOptions;
pub use prepare::PreparedCalibration;
